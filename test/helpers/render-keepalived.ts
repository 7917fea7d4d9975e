import { renderChecked } from '../../src/engine/render/checked-model.ts';
import type { RenderOutcome } from '../../src/engine/render/render-template.ts';
import { printableKeepalived } from '../../src/vip/group/printable-keepalived.ts';
import type { KeepalivedModel } from '../../src/vip/group/vrrp.ts';

/** keepalived's configuration file for this model, rendered in this thread. */
export function renderKeepalived(
  templateText: string,
  model: KeepalivedModel,
  options: { readonly templatePath: string },
): RenderOutcome {
  return renderChecked(templateText, printableKeepalived(model), options);
}
