import { isSameSet, type Rendered, type SetFile, setOfPieces } from '../../engine/apply/file-set.ts';
import { createRenderThread, type RenderThread } from '../../engine/render/render-in-thread.ts';
import { messageOf } from '../../engine/system/errors.ts';
import type { RouteBackend, RouterModel } from '../model.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { DEFAULT_CERTIFICATE_FILE } from './file-names.ts';
import { createHashMapFiles } from './hash-maps.ts';
import { regexMapFiles } from './regex-maps.ts';
import { createRouteFiles } from './route-files.ts';
import { createRouterPrinter, type RouterPrinter, wholeJob } from './router-printer.ts';
import { createServerStatesFile } from './server-states.ts';
import { backendOptions, templateBackend } from './template-backend.ts';
import { unavailablePage } from './unavailable-page.ts';
import { createPrintableRoutes, type LeftOut, printableRoutes } from './unprintable.ts';

export interface RouterTemplate {
  readonly path: string;
  readonly text: string;
  /** The permissions of the files. */
  readonly mode: number;
  /** An administrator's own, which may be wrong in any way: it never ends, or prints without end. */
  readonly isCustom?: true;
}

export type RouterRendering =
  | { readonly kind: 'rendered'; readonly rendered: Rendered; readonly leftOut: readonly LeftOut[] }
  | { readonly kind: 'failed'; readonly message: string };

/** See `renderRouter`. */
type RouterRenderer = (
  template: RouterTemplate,
  model: RouterModel,
  defaultCertificate: string,
  given?: readonly SetFile[],
) => RouterRendering;

/**
 * haproxy.cfg and every file that it names. `defaultCertificate` is PEM, key and certificate; `given` are the administrator's files. Pure: equal models give equal
 * bytes. A route that cannot be printed is left out of all of them.
 */
export function renderRouter(
  template: RouterTemplate,
  settings: RouterSettings,
  model: RouterModel,
  defaultCertificate: string,
  given: readonly SetFile[] = [],
): RouterRendering {
  return createRouterRenderer(settings)(template, model, defaultCertificate, given);
}

/**
 * The same for one model after another: what was made for a route is used again while its backend in the model is the same object. It
 * says the same as `renderRouter` for each model, whatever came before.
 */
export function createRouterRenderer(settings: RouterSettings): RouterRenderer {
  const filesOf = createOtherFiles(settings);
  const printable = createPrintableRoutes();
  const brokenIn = createBroken(settings);
  let printer: { readonly of: RouterTemplate; readonly print: RouterPrinter } | undefined;
  let last: Rendered | undefined;
  const renderAll: RouterRenderer = (template, model, defaultCertificate, given) => {
    const { backends, leftOut } = printable(model.backends, given);
    const { path, text } = template;
    if (printer?.of.text !== text || printer.of.path !== path)
      printer = { of: template, print: createRouterPrinter(template, settings) };
    const outcome = printer.print(backends);
    if (outcome.kind === 'failed') return outcome;
    const rest = { mode: template.mode, others: filesOf(backends, defaultCertificate, given) };
    const now =
      outcome.kind === 'pieces' ? setOfPieces(outcome.pieces, rest) : { ...rest, text: outcome.text };
    // What is known of a set, as its hash, is known of this object.
    if (last === undefined || hasPieces(last) !== hasPieces(now) || !isSameSet(last, now)) last = now;
    return { kind: 'rendered', rendered: last, leftOut };
  };
  return (template, model, defaultCertificate, given) => {
    try {
      return renderAll(template, model, defaultCertificate, given);
    } catch (error) {
      const { whole, broken } = brokenIn(model, defaultCertificate);
      if (broken.length === 0) throw error;
      return withBroken(renderAll(template, whole, defaultCertificate, given), broken);
    }
  };
}

const hasPieces = ({ pieces }: Rendered): boolean => pieces !== undefined;

function withBroken(outcome: RouterRendering, broken: readonly LeftOut[]): RouterRendering {
  return outcome.kind === 'failed' ? outcome : { ...outcome, leftOut: [...outcome.leftOut, ...broken] };
}

/**
 * Finds the routes on which the router itself fails, after a failure: by their backends, their lines of maps and their files. The cost depends
 * on these routes only, and each is tried once for each default certificate.
 */
function createBroken(settings: RouterSettings) {
  const options = backendOptions(settings);
  let looked = new WeakMap<RouteBackend, LeftOut | 'whole'>();
  let lookedWith: string | undefined;
  const look = (route: RouteBackend, defaultCertificate: string): LeftOut | 'whole' => {
    try {
      printableRoutes([route]);
      templateBackend(route, options);
      createOtherFiles(settings)([route], defaultCertificate);
      return 'whole';
    } catch (error) {
      return { key: route.key, problem: messageOf(error), isThrown: true };
    }
  };
  return ({ backends }: RouterModel, defaultCertificate: string) => {
    if (lookedWith !== defaultCertificate) looked = new WeakMap();
    lookedWith = defaultCertificate;
    const broken: LeftOut[] = [];
    const whole = backends.filter((route) => {
      const found = looked.get(route) ?? look(route, defaultCertificate);
      looked.set(route, found);
      if (found !== 'whole') broken.push(found);
      return found === 'whole';
    });
    return { whole: { backends: whole }, broken };
  };
}

/**
 * The same for any template: an administrator's own is rendered whole, in a thread with bounds of time and memory, so that whatever it does
 * keeps nobody waiting, and what is served stays.
 */
export function createTemplateRenderer(
  settings: RouterSettings,
  thread: RenderThread = createRenderThread(CUSTOM_LIMITS),
): (...args: Parameters<RouterRenderer>) => Promise<RouterRendering> {
  const renderShipped = createRouterRenderer(settings);
  const filesOf = createOtherFiles(settings);
  const printable = createPrintableRoutes();
  const brokenIn = createBroken(settings);
  const renderCustom = async (
    ...[template, model, defaultCertificate, given]: Parameters<RouterRenderer>
  ) => {
    const { backends, leftOut } = printable(model.backends, given);
    const outcome = await thread.render(wholeJob(template, settings, backends));
    if (outcome.kind === 'failed') return outcome;
    const others = filesOf(backends, defaultCertificate, given);
    return {
      ...({ kind: 'rendered', leftOut } as const),
      rendered: { text: outcome.text, mode: template.mode, others },
    };
  };
  return async (template, model, defaultCertificate, given) => {
    if (template.isCustom !== true) return renderShipped(template, model, defaultCertificate, given);
    try {
      return await renderCustom(template, model, defaultCertificate, given);
    } catch (error) {
      const { whole, broken } = brokenIn(model, defaultCertificate);
      if (broken.length === 0) throw error;
      return withBroken(await renderCustom(template, whole, defaultCertificate, given), broken);
    }
  };
}

/** Of 10,000 routes on a busy machine. */
export const CUSTOM_LIMITS = { timeoutMs: 10_000, memoryMb: 256 };

function createOtherFiles(settings: RouterSettings) {
  const hashFiles = createHashMapFiles();
  const statesFile = createServerStatesFile();
  const mapsOf = (routes: readonly RouteBackend[]) =>
    settings.lookup === 'hash' ? hashFiles(routes) : regexMapFiles(routes, settings);
  const filesOfRoutes = createRouteFiles({ http2: !settings.disableHttp2, strictSni: settings.strictSni });
  let last: readonly SetFile[] = [];
  return (
    backends: readonly RouteBackend[],
    defaultCertificate: string,
    given: readonly SetFile[] = [],
  ): readonly SetFile[] => {
    const lastNamed = whenAsked(() => new Map(last.map((file) => [file.name, file])));
    /** Most lie where they lay. */
    const before = (name: string, index: number): SetFile | undefined =>
      last[index]?.name === name ? last[index] : lastNamed().get(name);
    last = [
      ...mapsOf(backends),
      ...filesOfRoutes(backends, defaultCertificate),
      statesFile(backends),
      { name: DEFAULT_CERTIFICATE_FILE, content: defaultCertificate, secret: true },
      ...(settings.errorFile503 === undefined ? [unavailablePage] : []),
      ...given,
    ].map((file, index) => {
      const known = before(file.name, index);
      return known?.content === file.content ? known : file;
    });
    return last;
  };
}

function whenAsked<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
