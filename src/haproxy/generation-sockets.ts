import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Path of a generation's master socket, in the folder of the stats socket. */
export function generationSocket(runDir: string, generation: number): string {
  return join(runDir, `hawser-generation-${generation}.sock`);
}

/** The sockets on disk, newest generation first. Some may belong to generations that have ended. */
export async function generationSockets(runDir: string): Promise<readonly string[]> {
  const names = await readdir(runDir).catch(() => []);
  return names
    .flatMap((name) => {
      const [, number] = /^hawser-generation-(\d+)\.sock$/.exec(name) ?? [];
      return number === undefined ? [] : [Number(number)];
    })
    .sort((a, b) => b - a)
    .map((number) => generationSocket(runDir, number));
}
