/** `node apply-once.ts CONFIG`: deploys a small configuration without a supervisor, and prints the outcome. */
import { checkWith, deployerFor, goodText } from './apply-scene.ts';

const configPath = process.argv[2] ?? '';
const { apply } = deployerFor({ configPath, ask: checkWith('haproxy'), socketPath: '/nonexistent' });
process.stdout.write(JSON.stringify(await apply(goodText(), AbortSignal.timeout(20_000), 0o644)), () =>
  process.exit(),
);
