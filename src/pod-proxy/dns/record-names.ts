import { type Annotations, annotationOf } from '../pod/pod.ts';

/** The names for A records in a pod's annotation, and the problems of the rest. */
interface RecordNames {
  readonly names: readonly string[];
  readonly problems: readonly string[];
}

/** Each needs its own requests, of the five a second that Route 53 allows an account. */
const MOST_NAMES = 20;
const MOST_CHARACTERS = 253;

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** `foo.example.com, bar.example.com`: in lower case, without a trailing dot, each once. An invalid name does not block the others. */
export function recordNamesOf(annotations: Annotations): RecordNames {
  const words = (annotationOf(annotations, 'route53') ?? '').split(',').map((word) => word.trim());
  const asked = [...new Set(words.filter((word) => word !== '').map(canonical))];
  const right = asked.filter(isHostName);
  const tooMany =
    right.length > MOST_NAMES ? [`Cannot publish ${right.length} names: expected at most ${MOST_NAMES}`] : [];
  return {
    names: right.slice(0, MOST_NAMES),
    problems: [...asked.filter((name) => !isHostName(name)).map(refusal), ...tooMany],
  };
}

function canonical(word: string): string {
  return word.toLowerCase().replace(/\.$/, '');
}

/** At least two labels: no zone covers all of `com`. */
function isHostName(name: string): boolean {
  const labels = name.split('.');
  return name.length <= MOST_CHARACTERS && labels.length > 1 && labels.every((each) => label.test(each));
}

function refusal(name: string): string {
  return `Cannot publish the name ${JSON.stringify(name)}: expected a host name such as www.example.com`;
}
