import { type CheckedModel, unprintable } from '../render/checked-model.ts';
import { createRenderThread } from '../render/render-in-thread.ts';
import type { Observers } from './observers.ts';
import type { RenderResult } from './proposal.ts';
import { readTemplate } from './template-file.ts';

/**
 * Returns a function that renders with the current template, in a thread with limits (docs/internals/decisions/0040). If the template cannot be read
 * or rendered, this is logged once, and the served configuration stays.
 */
export function createRenderer<T>(
  templatePath: string,
  modelOf: (input: T) => CheckedModel,
  { log, once }: Observers,
): (input: T) => Promise<RenderResult> {
  const complain = (message: string): RenderResult => {
    if (once.isNew('template', message)) log({ event: 'template-unusable', level: 'error', message });
    return { kind: 'refused', message };
  };
  const thread = createRenderThread();
  return async (input) => {
    const template = await readTemplate(templatePath);
    if (template.kind === 'unreadable') return complain(template.message);
    const checked = modelOf(input);
    const outcome =
      checked.kind === 'printable'
        ? await thread.render({ templateText: template.text, templatePath, model: checked.model })
        : unprintable(templatePath, checked.problem);
    if (outcome.kind === 'failed') return complain(outcome.message);
    if (once.clear('template')) log({ event: 'template-usable' });
    return { kind: 'rendered', rendered: { text: outcome.text, mode: template.mode } };
  };
}
