import { type RenderOutcome, renderTemplate } from './render-template.ts';

/** One rendering as plain data, so that another thread can do it. */
export interface RenderJob {
  readonly templateText: string;
  readonly templatePath: string;
  readonly model: object;
}

export function render({ templateText, templatePath, model }: RenderJob): RenderOutcome {
  return renderTemplate(templateText, model, { templatePath });
}
