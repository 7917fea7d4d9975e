import { flag } from '../../cli/command-spec.ts';
import { nonEmpty } from '../../cli/fields.ts';

/** What the commands decide about that ask no API. */
export const objectsFlag = flag(
  '<path>',
  nonEmpty,
  'YAML or JSON with Routes, Services, EndpointSlices …; - for standard input',
  { default: '-', typedOnly: true, inFile: 'never' },
);
