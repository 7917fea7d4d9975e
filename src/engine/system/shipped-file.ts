import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file that comes with hawser: `manifests/haproxy.yaml`, `templates/haproxy.cfg.ejs`. */
export function shippedFile(path: string): string {
  return readFileSync(join(homeFrom(dirname(fileURLToPath(import.meta.url))), path), 'utf8');
}

/** A bundle is one or two folders below the manifests, the sources are three levels below. */
function homeFrom(folder: string): string {
  if (existsSync(join(folder, 'manifests/haproxy.yaml'))) return folder;
  if (folder === '/')
    throw new Error('Cannot find "manifests/haproxy.yaml": expected it next to the program, as in the image');
  return homeFrom(dirname(folder));
}
