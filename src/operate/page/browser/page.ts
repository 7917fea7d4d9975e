/** Keeps the page what the server says it is, and says so when it cannot. */
import { type AliveEvent, type PageEvent, SILENCE_MS } from '../page-event.ts';
import { morph } from './morph.ts';
import { type Announced, newsOf } from './news.ts';

const AGAIN_MS = 2_000;

const main = elementOf('state');
const contact = elementOf('contact');
const heard = elementOf('heard');
const news = elementOf('news');
let title = document.title;
let heardMs = Date.now();

document.documentElement.dataset['contact'] = 'asking';
connect();
setInterval(() => {
  if (Date.now() - heardMs > SILENCE_MS) lost();
}, 500);

function elementOf(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`Cannot find "${id}": expected it in the page`);
  return element;
}

function connect(): void {
  const events = new EventSource('events');
  events.addEventListener('page', ({ data }) => {
    const event: PageEvent = JSON.parse(data);
    show(event);
    live(event);
  });
  events.addEventListener('alive', ({ data }) => live(JSON.parse(data)));
  events.addEventListener('error', () => {
    lost();
    // The browser tries again by itself, unless it was refused.
    if (events.readyState === EventSource.CLOSED) setTimeout(connect, AGAIN_MS);
  });
}

function show(event: PageEvent): void {
  const wanted = new DOMParser().parseFromString(event.main, 'text/html').querySelector('main');
  if (wanted === null) return;
  const before = announcedIn(main);
  morph(main, wanted);
  title = event.title;
  const changes = newsOf(before, announcedIn(main));
  if (changes !== '') news.textContent = changes;
}

function announcedIn(root: Element): Announced {
  const told = new Map<string, string>();
  for (const element of root.querySelectorAll('[data-about]'))
    told.set(element.getAttribute('data-about') ?? '', element.getAttribute('data-tell') ?? '');
  return told;
}

function live({ at }: AliveEvent): void {
  heardMs = Date.now();
  document.documentElement.dataset['contact'] = 'live';
  document.title = title;
  say(contact, 'Live');
  heard.setAttribute('datetime', at);
  say(heard, `${at.slice(11, 19)} UTC`);
  heard.hidden = false;
}

/** The page may show a state that is long past, which must not look current. */
function lost(): void {
  document.documentElement.dataset['contact'] = 'lost';
  document.title = `No contact · ${title}`;
  say(contact, `No contact since ${heard.textContent}. What is shown is how it was then.`);
  heard.hidden = true;
}

/** A screen reader announces what changes, and not what is repeated. */
function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
