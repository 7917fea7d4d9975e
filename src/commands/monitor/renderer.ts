import type { Rendered } from '../../apply/applier.ts';
import type { RenderOutcome } from '../../render/render-template.ts';
import type { Observers } from './observers.ts';
import { readTemplate } from './template-file.ts';

/**
 * Renders with the template as it is at that moment. Undefined where the template cannot be read or rendered: that is
 * told once, and what is served stays as it is.
 */
export function createRenderer<T>(
  templatePath: string,
  render: (templateText: string, input: T) => RenderOutcome,
  { log, once }: Observers,
): (input: T) => Promise<Rendered | undefined> {
  const complain = (message: string): undefined => {
    if (once.isNew('template', message)) log({ event: 'template-unusable', level: 'error', message });
    return undefined;
  };
  return async (input) => {
    const template = await readTemplate(templatePath);
    if (template.kind === 'unreadable') return complain(template.message);
    const outcome = render(template.text, input);
    if (outcome.kind === 'failed') return complain(outcome.message);
    if (once.clear('template')) log({ event: 'template-usable' });
    return { text: outcome.text, mode: template.mode };
  };
}
