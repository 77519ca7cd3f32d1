/** Where the page's answers come from. The page of the site, which has no service, has `home-site.ts` in this place. */
export const home = {
  fetch: (...asked: Parameters<typeof fetch>) => fetch(...asked),
  /** The service that lines to copy call. */
  service: () => new URL('.', document.baseURI).href,
  about: 'Every number here is one that the service gave, until you train rows or merge pairs yourself.',
  doors: [['docs', 'The interface']],
  /** What needs a service, where there is none. */
  absent: '',
}
