import { parseArgs } from 'node:util';

export interface DemoOptions {
  readonly once: boolean;
  readonly view: boolean;
  readonly help: boolean;
}

/** Throws a TypeError for an unknown option. */
export function readOptions(argv: readonly string[]): DemoOptions {
  const boolean = { type: 'boolean', default: false } as const;
  const options = { once: boolean, help: boolean, view: { type: 'boolean', default: true } } as const;
  return parseArgs({ args: [...argv], options, allowNegative: true, strict: true }).values;
}

/** Why the demo cannot run on this machine; undefined if it can. */
export function whatIsMissing(): string | undefined {
  if (process.platform !== 'linux')
    return `this is ${process.platform}, expected Linux: network namespaces and nftables are used`;
  if (process.getuid?.() !== 0)
    return 'not root, expected root: network namespaces and nftables need it; type: sudo npm run demo';
  return undefined;
}
