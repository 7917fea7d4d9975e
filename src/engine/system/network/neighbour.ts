import { runLeanCommand } from '../process/run-lean-command.ts';

/** The hardware address that has answered for an address of the local network lately; undefined where none has. */
export async function neighbourOf(address: string): Promise<string | undefined> {
  try {
    const { stdout } = await runLeanCommand(['ip', '-json', 'neighbour', 'show', 'to', address], {
      timeoutMs: 10_000,
    });
    const found: unknown = JSON.parse(stdout || '[]');
    const [first]: readonly unknown[] = Array.isArray(found) ? found : [];
    const hardware = typeof first === 'object' && first !== null ? Reflect.get(first, 'lladdr') : undefined;
    return typeof hardware === 'string' ? hardware : undefined;
  } catch {
    return undefined;
  }
}
