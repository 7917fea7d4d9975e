/** `node apply-once.ts CONFIG`: applies a small configuration without any supervisor and prints what became of it. */
import { createApplier } from '../../../../src/engine/apply/applier.ts';
import { checkWith, goodText } from './apply-scene.ts';

const configPath = process.argv[2] ?? '';
const applier = createApplier({
  configPath,
  check: checkWith('haproxy'),
  socketPath: '/nonexistent',
});
process.stdout.write(
  JSON.stringify(await applier.apply({ text: goodText(), mode: 0o644 }, AbortSignal.timeout(20_000))),
);
