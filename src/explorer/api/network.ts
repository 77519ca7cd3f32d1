import type { Transport } from './client.js'

/** Characters of a body from which on it is long. */
const LONG = 65_536

/** The transport of the browser. @param keyOf gives the key that the calls bring, or '' */
export function overNetwork(keyOf: () => string): Transport {
  return async (call, accept, signal) => {
    const { path, body, query = {} } = call
    const url = new URL(path, document.baseURI)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const headers: Record<string, string> = { accept }
    if (keyOf() !== '') headers.authorization = `Bearer ${keyOf()}`
    if (body === undefined) return fetch(url, { headers, signal })
    const isText = typeof body === 'string'
    headers['content-type'] = isText ? 'text/plain; charset=utf-8' : 'application/json'
    const content = isText ? body : JSON.stringify(body)
    // The browser copies a body before it returns: long ones each take a turn, so that no key waits for three of them.
    if (content.length > LONG) await new Promise((resolve) => setTimeout(resolve))
    return fetch(url, { method: 'POST', headers, body: content, signal })
  }
}
