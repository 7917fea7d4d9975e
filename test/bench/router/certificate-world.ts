/**
 * A program: `certificate-world.ts COUNT ROUNDS DIR` renews one of COUNT certificates of a running router in its own network namespace
 * and prints JSON.
 */
import { X509Certificate } from 'node:crypto';
import { selfSigned } from '../../../src/router/render/default-certificate.ts';
import { certificateOf, untilGood } from './ask-host.ts';
import { ports, startLiveScene } from './live-scene.ts';
import { hostOf } from './objects.ts';
import { certificateRenewed, routeWithCertificate } from './renew-certificate.ts';

const [count = 0, rounds = 0] = process.argv.slice(2, 4).map(Number);
/** HAProxy takes several seconds to read five thousand certificates, and reads them again after each change to check the file. */
const BETWEEN_MS = 15_000;

const pems = Array.from({ length: count }, (_, index) => selfSigned(`shop ${index}`, new Date()));
const scene = await startLiveScene(
  pems.map((pem, index) => routeWithCertificate(index, pem)),
  process.argv[4] ?? '',
);
const last = count - 1;
const first = new X509Certificate(pems[last] ?? '').fingerprint256;
const ask = () => certificateOf(ports.httpsPort, hostOf(last));
await untilGood('the first certificates', ask, (found) => found === first, { withinMs: 600_000 });
const renewed = await certificateRenewed(scene, last, rounds, BETWEEN_MS);
await scene[Symbol.asyncDispose]();
process.stdout.write(`${JSON.stringify(renewed)}\n`);
process.exit(0);
