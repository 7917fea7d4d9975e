import { readTemplate } from '../../engine/monitor/template-file.ts';
import { shippedFile } from '../../engine/system/shipped-file.ts';
import type { RouterTemplate } from './render-router.ts';

type RouterTemplateFile =
  | (RouterTemplate & { readonly kind: 'read' })
  | { readonly kind: 'unreadable'; readonly message: string };

const shipped = 'templates/router.cfg.ejs';

/**
 * Reads the template of haproxy.cfg: the file in `TEMPLATE_FILE`, or the one shipped with hawser. A template for openshift-router is refused with
 * a clear error: EJS would print it as text, and HAProxy's own error would not name the cause.
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

/** `{{` opens an action in Go templates, and `<%` one in EJS. */
function isGoTemplate(text: string): boolean {
  return text.includes('{{') && !text.includes('<%');
}
