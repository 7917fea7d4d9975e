/** `node name-server.ts PORT NAME`: greets each client with its name and echoes what it sends, until it closes. */
import { createServer } from 'node:net';

const [port = '0', name = ''] = process.argv.slice(2);
const server = createServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.write(`${name}\n`);
  socket.pipe(socket);
});
server.listen({ port: Number(port), host: '::' }, () => console.log('listening'));
