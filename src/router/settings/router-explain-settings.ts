import { commandSpec, flag, jsonFlag } from '../../cli/command-spec.ts';
import { oneOf, parsedBy } from '../../cli/fields.ts';
import { withRules } from './admission-flags.ts';
import { objectsFlag } from './objects-flag.ts';
import { routerFlags } from './router-settings.ts';

const place = parsedBy(
  (text) => (/^[^/\s]+(?:\/(?!\/)|$)/.test(text) ? text : undefined),
  'expected HOST or HOST/PATH; for a scheme there is --scheme',
);

export const routerExplainCommand = commandSpec({
  name: 'router explain',
  section: 'router',
  summary:
    'Says which route answers a request, through which backend and certificate, and why not the others.',
  positionals: {
    place: { help: 'HOST or HOST/PATH, such as shop.example.com/cart', field: place, inFile: 'never' },
  },
  flags: {
    scheme: flag('<scheme>', oneOf(['http', 'https']), 'http or https', {
      default: 'https',
      typedOnly: true,
      inFile: 'never',
    }),
    objects: objectsFlag,
    ...routerFlags,
    json: jsonFlag('print JSON'),
  },
  examples: [
    ['hawser router explain shop.example.com --scheme http --objects routes.yaml'],
    [
      'kubectl get routes,endpointslices,services,secrets -A -o yaml | hawser router explain shop.example.com/cart',
      'who answers, and why not the others?',
    ],
  ],
  notes: [
    'The settings are those of hawser router render, in the same environment: what it writes is what is explained.',
    'Nothing is asked but the objects that are given. A host is taken for the name that the client asks for in TLS, too.',
    'Objects that cannot be read are left out, and named on stderr.',
    'Exit codes: 0 a route answers or redirects; 1 none does, or failure at run time; 2 usage.',
  ],
  derive: withRules,
});
