import { type RenderOutcome, renderTemplate } from './render-template.ts';

/**
 * A model after the product's validation. `unprintable`: a value could break out of its place in a template that prints it unescaped. `problem` names
 * the value.
 */
export type CheckedModel<Model extends object = object> =
  | { readonly kind: 'printable'; readonly model: Model }
  | { readonly kind: 'unprintable'; readonly problem: string };

/** Renders a printable model like `renderTemplate`; fails for an unprintable one. */
export function renderChecked(
  templateText: string,
  checked: CheckedModel,
  options: { readonly templatePath: string },
): RenderOutcome {
  return checked.kind === 'printable'
    ? renderTemplate(templateText, checked.model, options)
    : unprintable(options.templatePath, checked.problem);
}

export function unprintable(
  templatePath: string,
  problem: string,
): Extract<RenderOutcome, { kind: 'failed' }> {
  return { kind: 'failed', message: `Cannot render template "${templatePath}": ${problem}` };
}
