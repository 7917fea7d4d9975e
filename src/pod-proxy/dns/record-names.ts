import { type Annotations, annotationOf } from '../pod/pod.ts';

/** The valid names for A records in a pod's annotation, and the problems of the others. */
interface RecordNames {
  readonly names: readonly string[];
  readonly problems: readonly string[];
}

/** Each name needs its own requests, and Route 53 allows an account five requests per second. */
const MAX_NAMES = 20;
const MAX_CHARACTERS = 253;

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Parses `foo.example.com, bar.example.com` into unique names in lower case without a trailing dot. An invalid name does not block the others. */
export function recordNamesOf(annotations: Annotations): RecordNames {
  const words = (annotationOf(annotations, 'route53') ?? '').split(',').map((word) => word.trim());
  const requested = [...new Set(words.filter((word) => word !== '').map(canonical))];
  const valid = requested.filter(isHostName);
  const tooMany =
    valid.length > MAX_NAMES ? [`Cannot publish ${valid.length} names: expected at most ${MAX_NAMES}`] : [];
  return {
    names: valid.slice(0, MAX_NAMES),
    problems: [...requested.filter((name) => !isHostName(name)).map(refusal), ...tooMany],
  };
}

function canonical(word: string): string {
  return word.toLowerCase().replace(/\.$/, '');
}

/** A name needs at least two labels, since no zone covers all of `com`. */
function isHostName(name: string): boolean {
  const labels = name.split('.');
  return name.length <= MAX_CHARACTERS && labels.length > 1 && labels.every((each) => label.test(each));
}

function refusal(name: string): string {
  return `Cannot publish the name ${JSON.stringify(name)}: expected a host name such as www.example.com`;
}
