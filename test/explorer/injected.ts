import type { ModelOf } from '../../src/explorer/answer/load.js'
import type { Transport } from '../../src/explorer/api/client.js'
import type { Model } from '../../src/explorer/api/types.js'
import type { TestService } from '../helper.js'

/** Makes the page's calls on an application that listens nowhere. */
export function injected({ app }: TestService): Transport {
  return async ({ path, body, query = {} }, accept) => {
    const isText = typeof body === 'string'
    const answer = await app.inject({
      method: body === undefined ? 'GET' : 'POST',
      url: `/${path}`,
      query: { ...query },
      headers: {
        accept,
        ...(body === undefined ? {} : { 'content-type': isText ? 'text/plain' : 'application/json' }),
      },
      payload: body === undefined ? undefined : isText ? body : JSON.stringify(body),
    })
    const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    return new Response(new Uint8Array(answer.rawPayload), { status: answer.statusCode, headers })
  }
}

/** Finds a model in the list that the service gave. */
export const modelIn =
  (models: readonly Model[]): ModelOf =>
  async (name) =>
    models.find(({ id }) => id === name)
