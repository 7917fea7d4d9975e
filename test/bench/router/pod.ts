/** A program: the pod of all routes, which answers every request with an empty body. Prints a line once it listens. */
import { createServer } from 'node:http';
import { POD_PORT, podAddresses } from './objects.ts';

const pod = createServer((_request, response) => response.end());
// HAProxy reuses connections. A pod that closed them would make some requests more expensive at random.
pod.keepAliveTimeout = 0;
pod.listen(POD_PORT, '0.0.0.0', () => process.stdout.write(`${podAddresses.length} addresses\n`));
