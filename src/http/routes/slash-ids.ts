import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

const BELOW_MODEL = /\/models\/:model\/([^/]+)/
const PLAIN_SLASH = /^(\/v[12](?:\/repository)?\/models\/[^/?]+)\/([^/?]+)/

/**
 * Model ids with a slash in paths: `/v1/models/org/name/neighbors` is read as `/v1/models/org%2Fname/neighbors`. A second
 * part that a route has, as `neighbors`, is never part of an id: a model `org/neighbors` needs `%2F`.
 */
export class SlashIds {
  readonly #words = new Set<string>()

  /** Notes the words that routes have below a model. Call it before they are added. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', ({ url }) => {
      const [, word] = BELOW_MODEL.exec(url) ?? []
      if (word !== undefined) this.#words.add(word)
    })
  }

  /** The URL by which the route is found. */
  rewritten({ url = '' }: IncomingMessage): string {
    const [match, model, second] = PLAIN_SLASH.exec(url) ?? []
    if (match === undefined || this.#words.has(second!)) return url
    return `${model}%2F${second}${url.slice(match.length)}`
  }
}
