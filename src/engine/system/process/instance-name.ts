/** Environment variables by name, as in `/proc/PID/environ`. */
export type Environment = Readonly<Record<string, string | undefined>>;

const FLAG = '--instance';

/**
 * The instance name of a program: from its last flag, or else from its environment; undefined if neither is set. For inspecting a running program:
 * does not check whether the program accepts its arguments.
 */
export function instanceName(argv: readonly string[], env: Environment): string | undefined {
  const at = argv.findLastIndex((word) => word === FLAG || word.startsWith(`${FLAG}=`));
  if (at < 0) return env['HAWSER_INSTANCE'];
  return argv[at] === FLAG ? argv[at + 1] : argv[at]?.slice(FLAG.length + 1);
}

export function parseEnvironment(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split('\0').map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}
