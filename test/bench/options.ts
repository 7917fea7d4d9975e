import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { messageOf } from '../../src/engine/system/errors.ts';

/** Every known one by default. Throws for an unknown one, with the known names. */
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

/** What the benches that compare subjects have in common. */
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

/** The values of a bench's options. Ends the process with 0 after `--help`, and with 2 for an unknown option. */
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

/** The parsed command line. For an invalid one, prints the usage and ends the process with 2. */
export function readOrExplain<Options>(usage: string, read: () => Options): Options {
  try {
    return read();
  } catch (error) {
    console.error(`${messageOf(error)}\n${usage}`);
    process.exit(2);
  }
}
