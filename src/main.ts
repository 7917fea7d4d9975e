import { run } from './commands/run.ts';
import { type CommandName, summaries } from './commands/summaries.ts';
import { messageOf } from './engine/system/errors.ts';

async function main(argv: readonly string[]): Promise<number> {
  // As in kubectl: `hawser help haproxy status`.
  if (argv[0] === 'help' && argv.length > 1) return await main([...argv.slice(1), '--help']);
  const words = argv.findIndex((word) => word.startsWith('-'));
  const leading = words === -1 ? argv : argv.slice(0, words);
  for (const length of [2, 1]) {
    const name = leading.slice(0, length).join(' ');
    if (leading.length >= length && isCommand(name)) return await run(name, argv.slice(length), process.env);
  }
  if (['--version', '-v', '-V'].includes(argv[0] ?? '')) {
    const { hawserVersion } = await import('./engine/system/version.ts');
    process.stdout.write(`hawser ${hawserVersion()}\n`);
    return 0;
  }
  return await printUsage(argv, leading.join(' '));
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(summaries, name);
}

/** Prints the usage on stdout if it was requested. An unknown command is an error. */
async function printUsage(argv: readonly string[], typed: string): Promise<number> {
  const { isGroup, unknownCommandText, usageText } = await import('./cli/usage.ts');
  const entries = Object.entries(summaries);
  const isAsked = ['--help', '-h', 'help'].includes(argv.at(-1) ?? '');
  const group = typed.replace(/ ?help$/, '');
  const isKnown = group === '' || isGroup(entries, group);
  const isAll = argv.length === (group === '' ? 0 : 1);
  if (isKnown && (isAsked || isAll)) {
    process.stdout.write(usageText(entries, group));
    return isAsked ? 0 : 2;
  }
  process.stderr.write(unknownCommandText(typed || argv.join(' '), entries));
  return 2;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = error instanceof Error && error.name === 'ConfigError' ? 2 : 1;
}
