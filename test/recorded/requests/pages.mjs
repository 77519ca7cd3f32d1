import { get } from './request.mjs'

/** The explorer, the page of the interface, its document: their files too. */
export function* pages() {
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  for (const method of ['GET', 'HEAD']) {
    yield get('/', {}, method)
    yield { ...get('/', html, method), isBundled: true }
    for (const path of [
      '/docs',
      '/docs/',
      '/docs/start.js',
      '/docs/swagger-ui.css',
      '/docs/swagger-ui-bundle.js',
      '/docs/favicon-32x32.png',
      '/docs/NOTICE.txt',
    ]) {
      yield get(path, {}, method)
    }
    for (const path of ['/openapi.json', '/openapi.yaml'])
      yield { ...get(path, {}, method), isDocument: true }
    for (const file of ['explorer.js', 'explorer.css'])
      yield { ...get(`/explorer/${file}`, {}, method), file, isBundled: true }
  }
  yield get('/', { ...html, 'if-none-match': '*' })
  yield get('/docs/start.js', { 'if-none-match': '*' })
  yield get('/metrics')
  yield get('/metrics', { accept: 'application/openmetrics-text' })
  yield get('/health/ready', { 'x-request-id': 'r' })
}
