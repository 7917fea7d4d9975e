import type { Rendered } from '../apply/applier.ts';
import { createRenderThread } from '../render/render-in-thread.ts';
import type { RenderJob } from '../render/render-job.ts';
import type { Observers } from './observers.ts';
import { readTemplate } from './template-file.ts';

/**
 * Renders with the current template, in a thread with limits (docs/decisions/0040). Undefined if the template cannot be
 * read or rendered: that is logged once, and the served configuration stays.
 */
export function createRenderer<T>(
  templatePath: string,
  jobOf: (template: { readonly templateText: string; readonly templatePath: string }, input: T) => RenderJob,
  { log, once }: Observers,
): (input: T) => Promise<Rendered | undefined> {
  const complain = (message: string): undefined => {
    if (once.isNew('template', message)) log({ event: 'template-unusable', level: 'error', message });
    return undefined;
  };
  const thread = createRenderThread();
  return async (input) => {
    const template = await readTemplate(templatePath);
    if (template.kind === 'unreadable') return complain(template.message);
    const outcome = await thread.render(jobOf({ templateText: template.text, templatePath }, input));
    if (outcome.kind === 'failed') return complain(outcome.message);
    if (once.clear('template')) log({ event: 'template-usable' });
    return { text: outcome.text, mode: template.mode };
  };
}
