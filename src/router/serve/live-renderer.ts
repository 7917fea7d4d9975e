import type { ConfigurationCheck } from '../../engine/config/check.ts';
import type { SetFile } from '../../engine/config/set.ts';
import type { Observers } from '../../engine/monitor/observers.ts';
import type { RenderResult } from '../../engine/monitor/proposal.ts';
import { rejectRoutes, type ServableDecision } from '../decide/reject-routes.ts';
import { createTemplateRenderer, type RouterTemplate } from '../render/render-router.ts';
import { readRouterTemplate } from '../render/router-template.ts';
import { refusalOf } from '../render/unprintable.ts';
import { checkTrial } from '../render/write-out.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import type { Trial } from './find-refused.ts';
import { openDefaultCertificate, openGivenFiles } from './live-files.ts';

/** Its trials use the template, certificate and files of the last `render`. */
interface LiveRenderer extends Trial {
  /** `shown` is the decision as rendered: routes that cannot be printed are rejected in it. Undefined if nothing was rendered. */
  readonly render: (
    input: ServableDecision,
  ) => Promise<{ readonly result: RenderResult; readonly shown: ServableDecision | undefined }>;
  /** The PEM of the last `render`; undefined before the first one. */
  readonly defaultCertificate: () => string | undefined;
}

/**
 * Renders with the current template, default certificate and files of the administrator. An invalid one is logged once, and the served configuration
 * stays.
 */
export function createLiveRenderer(
  settings: LiveSettings,
  check: ConfigurationCheck,
  { log, once }: Observers,
): LiveRenderer {
  const certificate = openDefaultCertificate(settings, log);
  const givenFiles = openGivenFiles(settings, log);
  const renderRouter = createTemplateRenderer(settings);
  let last:
    | {
        readonly template: RouterTemplate;
        readonly certificate: string;
        readonly given: readonly SetFile[];
      }
    | undefined;
  const refuse = (message: string) => {
    if (once.isNew('template', message)) log({ event: 'template-unusable', level: 'error', message });
    return { result: { kind: 'refused', message } as const, shown: undefined };
  };
  return {
    render: async (input) => {
      const template = await readRouterTemplate(settings.template);
      if (template.kind === 'unreadable') return refuse(template.message);
      last = { template, certificate: await certificate(), given: await givenFiles() };
      const { model } = input.decision;
      const outcome = await renderRouter(template, model, last.certificate, last.given);
      if (outcome.kind === 'failed') return refuse(outcome.message);
      if (once.clear('template')) log({ event: 'template-usable' });
      const shown = rejectRoutes(
        input,
        new Map(outcome.leftOut.map((each) => [each.key, refusalOf(each)] as const)),
      );
      return { result: { kind: 'rendered', rendered: outcome.rendered }, shown };
    },
    validate: async (found, signal) => {
      const backends = found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const outcome = last && (await renderRouter(last.template, { backends }, last.certificate, last.given));
      if (outcome?.kind !== 'rendered')
        return { outcome: { kind: 'impossible', message: 'not rendered' }, text: '' };
      const { rendered } = outcome;
      return { outcome: await checkTrial(rendered, check, signal), text: rendered.text };
    },
    template: () => last?.template.text,
    defaultCertificate: () => last?.certificate,
  };
}
