import { messageOf } from '../system/errors.ts';
import { readRegularFile } from '../system/file/read-regular-file.ts';

/** Far larger than any real template. */
const MAX_TEMPLATE_BYTES = 1024 * 1024;

type TemplateFile =
  | { readonly kind: 'read'; readonly text: string; readonly mode: number }
  | { readonly kind: 'unreadable'; readonly message: string };

/** Reads the template and the mode for the rendered file. Never rejects. */
export async function readTemplate(path: string): Promise<TemplateFile> {
  const unreadable = (found: string): TemplateFile => ({
    kind: 'unreadable',
    message: `Cannot read template "${path}": ${found}, expected an EJS file`,
  });
  try {
    const { bytes, mode } = await readRegularFile(path, { MAX_TEMPLATE_BYTES });
    const text = bytes.toString('utf8');
    return text.trim() === '' ? unreadable('it is empty') : { kind: 'read', text, mode };
  } catch (error) {
    return unreadable(messageOf(error));
  }
}
