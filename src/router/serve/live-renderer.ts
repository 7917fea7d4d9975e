import type { Rendered, SetFile } from '../../engine/config/set.ts';
import type { Observers } from '../../engine/monitor/observers.ts';
import type { RenderResult } from '../../engine/monitor/proposal.ts';
import { rejectRoutes, type ServableDecision } from '../decide/reject-routes.ts';
import type { RouteBackend } from '../model.ts';
import { createTemplateRenderer, type RouterTemplate } from '../render/render-router.ts';
import { readRouterTemplate } from '../render/router-template.ts';
import { refusalOf } from '../render/unprintable.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import { openDefaultCertificate, openGivenFiles } from './live-files.ts';

interface LiveRenderer {
  /** `shown` is the decision as rendered: routes that the template cannot print are rejected. Undefined if nothing was rendered. */
  readonly render: (
    input: ServableDecision,
  ) => Promise<{ readonly result: RenderResult; readonly shown: ServableDecision | undefined }>;
  /** Other backends as in the last `render`, with the same template, certificate and files. Undefined if that fails. */
  readonly renderAgain: (backends: readonly RouteBackend[]) => Promise<Rendered | undefined>;
  /** The template's text in the last `render`. Undefined before the first one. */
  readonly template: () => string | undefined;
  /** PEM, as last rendered. Undefined before the first `render`. */
  readonly defaultCertificate: () => string | undefined;
}

/**
 * Renders with the current template, default certificate and administrator's files. An unusable one is logged once, and the served configuration
 * stays.
 */
export function createLiveRenderer(settings: LiveSettings, { log, once }: Observers): LiveRenderer {
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
  const complain = (message: string) => {
    if (once.isNew('template', message)) log({ event: 'template-unusable', level: 'error', message });
    return { result: { kind: 'refused', message } as const, shown: undefined };
  };
  return {
    render: async (input) => {
      const template = await readRouterTemplate(settings.template);
      if (template.kind === 'unreadable') return complain(template.message);
      last = { template, certificate: await certificate(), given: await givenFiles() };
      const { model } = input.decision;
      const outcome = await renderRouter(template, model, last.certificate, last.given);
      if (outcome.kind === 'failed') return complain(outcome.message);
      if (once.clear('template')) log({ event: 'template-usable' });
      const shown = rejectRoutes(
        input,
        new Map(outcome.leftOut.map((each) => [each.key, refusalOf(each)] as const)),
      );
      return { result: { kind: 'rendered', rendered: outcome.rendered }, shown };
    },
    renderAgain: async (backends) => {
      if (last === undefined) return undefined;
      const outcome = await renderRouter(last.template, { backends }, last.certificate, last.given);
      return outcome.kind === 'rendered' ? outcome.rendered : undefined;
    },
    template: () => last?.template.text,
    defaultCertificate: () => last?.certificate,
  };
}
