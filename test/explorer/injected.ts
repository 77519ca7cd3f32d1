import type { Model } from '../../clients/typescript/src/index.js'
import type { ModelOf } from '../../src/explorer/answer/load.js'
import type { Calls } from '../../src/explorer/calls.js'
import { clientOf } from '../../src/explorer/first-paint/recorded.js'
import type { TestService } from '../helper.js'

/** Makes a request on an application that listens nowhere. */
export async function injected({ app }: TestService, url: string, request: RequestInit): Promise<Response> {
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

/** The client of an application that listens nowhere. */
export const injectedClient = (service: TestService): Calls =>
  clientOf((target, _, request) => injected(service, target, request))

/** Finds a model in the list that the service gave. */
export const modelIn =
  (models: readonly Model[]): ModelOf =>
  async (name) =>
    models.find(({ id }) => id === name)
