import type { Model } from '../../../clients/typescript/src/index.js'
import { Calls } from '../../../src/features/explorer/page/calls.js'
import type { ModelOf } from '../../../src/features/explorer/page/load.js'
import type { TestService } from '../../helper.js'

const ADDRESS = 'http://injected'

/** Makes a request on an application that listens nowhere. */
async function injected({ app }: TestService, url: string, request: RequestInit): Promise<Response> {
  const { body } = request
  const answer = await app.inject({
    method: request.method as 'GET',
    url,
    headers: request.headers as Record<string, string>,
    payload: body instanceof Uint8Array ? Buffer.from(body) : (body as string | undefined),
  })
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return new Response(new Uint8Array(answer.rawPayload), { status: answer.statusCode, headers })
}

/** The client of an application that listens nowhere. @param asked gets the path and query of each request */
export function injectedClient(service: TestService, asked: string[] = []): Calls {
  const fetched = (address: unknown, request: RequestInit = {}) => {
    const target = String(address).slice(ADDRESS.length)
    asked.push(target)
    return injected(service, target, request)
  }
  return new Calls(ADDRESS, { fetch: fetched as typeof fetch, retries: 0 })
}

/** Finds a model in the list that the service gave. */
export const modelIn =
  (models: readonly Model[]): ModelOf =>
  async (name) =>
    models.find(({ id }) => id === name)
