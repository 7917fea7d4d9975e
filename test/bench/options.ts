import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { messageOf } from '../../src/engine/system/errors.ts';

/** The requested names, or all known ones. Throws for an unknown name, listing the known ones. */
export function chosen(
  what: string,
  asked: readonly string[] | undefined,
  known: readonly string[],
): readonly string[] {
  const unknown = asked?.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(`Cannot measure ${what} "${unknown}": expected one of ${known.join(', ')}`);
  return asked ?? known;
}

const text = { type: 'string' } as const;
const list = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean', default: false } as const;

/** The options shared by benches that compare subjects. */
export const commonOptions = {
  json: text,
  quick: flag,
  only: list,
  subject: list,
  logs: text,
  help: flag,
} as const;

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options }>
>['values'];

/** The values of a bench's options. Exits with 0 after `--help` and with 2 for an unknown option. */
export function readBenchOptions<Options extends ParseArgsOptionsConfig>(
  usage: string,
  options: Options,
): Values<Options> {
  if (process.argv.includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  return readOrExplain(usage, () => parseArgs({ options }).values);
}

/** The parsed command line. If it is invalid, prints the usage and exits with 2. */
export function readOrExplain<Options>(usage: string, read: () => Options): Options {
  try {
    return read();
  } catch (error) {
    console.error(`${messageOf(error)}\n${usage}`);
    process.exit(2);
  }
}
