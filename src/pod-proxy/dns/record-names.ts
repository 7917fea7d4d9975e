import { type Annotations, annotationOf } from '../pod/pod.ts';

/** The names for A records in a pod's annotation, and the problems of the rest. */
interface RecordNames {
  readonly names: readonly string[];
  readonly problems: readonly string[];
}

/** Each takes requests of its own, of the five in a second that Route 53 answers an account. */
const MOST_NAMES = 20;
const MOST_CHARACTERS = 253;

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** `foo.example.com, bar.example.com`: in lower case, without a dot at the end, each once. A wrong name does not keep the others out. */
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

/** Of two labels and more: nobody has a zone for all of `com`. */
function isHostName(name: string): boolean {
  const labels = name.split('.');
  return name.length <= MOST_CHARACTERS && labels.length > 1 && labels.every((each) => label.test(each));
}

function refusal(name: string): string {
  return `Cannot publish the name ${JSON.stringify(name)}: expected a host name such as www.example.com`;
}
