import type { Transport } from './client.js'

/** The transport of the browser. @param keyOf gives the key that the calls bring, or '' */
export function overNetwork(keyOf: () => string): Transport {
  return (call, accept, signal) => {
    const { path, body, query = {} } = call
    const url = new URL(path, document.baseURI)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const headers: Record<string, string> = { accept }
    if (keyOf() !== '') headers.authorization = `Bearer ${keyOf()}`
    if (body === undefined) return fetch(url, { headers, signal })
    const isText = typeof body === 'string'
    headers['content-type'] = isText ? 'text/plain; charset=utf-8' : 'application/json'
    return fetch(url, { method: 'POST', headers, body: isText ? body : JSON.stringify(body), signal })
  }
}
