/** `node apply-once.ts CONFIG`: applies a small configuration without any supervisor and prints what became of it. */
import { createApplier } from '../../../src/apply/applier.ts';
import { checkWith, goodText } from './apply-scene.ts';

const configPath = process.argv[2] ?? '';
const applier = createApplier({
  configPath,
  templateMode: 0o644,
  check: checkWith('haproxy'),
  socketPath: '/nonexistent',
});
process.stdout.write(JSON.stringify(await applier.apply(goodText(), AbortSignal.timeout(20_000))));
