import { readTemplate } from '../../engine/monitor/template-file.ts';
import { shippedFile } from '../../engine/system/shipped-file.ts';
import type { RouterTemplate } from './render-router.ts';

type RouterTemplateFile =
  | (RouterTemplate & { readonly kind: 'read' })
  | { readonly kind: 'unreadable'; readonly message: string };

const shipped = 'templates/router.cfg.ejs';

/**
 * The template of haproxy.cfg: the file of `TEMPLATE_FILE`, or the one that comes with hawser. A template that was written for
 * openshift-router is refused with a word about it: EJS would print it as text, and HAProxy would refuse that without saying why.
 */
export async function readRouterTemplate(path: string | undefined): Promise<RouterTemplateFile> {
  if (path === undefined) return { kind: 'read', path: shipped, text: shippedFile(shipped), mode: 0o644 };
  const file = await readTemplate(path);
  if (file.kind === 'unreadable') return file;
  if (isGoTemplate(file.text)) {
    const message = `Cannot use template "${path}": it is a Go template of openshift-router, expected an EJS file such as ${shipped}`;
    return { kind: 'unreadable', message };
  }
  return { ...file, path, isCustom: true };
}

/** `{{` opens an action of Go's, and `<%` one of EJS. */
function isGoTemplate(text: string): boolean {
  return text.includes('{{') && !text.includes('<%');
}
