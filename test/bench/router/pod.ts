/** A program: the pod of all routes, which answers every request with nothing. Says a line when it listens. */
import { createServer } from 'node:http';
import { POD_PORT, podAddresses } from './objects.ts';

const pod = createServer((_request, response) => response.end());
// HAProxy keeps connections, and a pod that closed them would make requests dearer at random.
pod.keepAliveTimeout = 0;
pod.listen(POD_PORT, '0.0.0.0', () => process.stdout.write(`${podAddresses.length} addresses\n`));
