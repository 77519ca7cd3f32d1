import { Inlet } from '../../../clients/typescript/src/index.js'
import type { TestService } from '../../helper.js'

const ADDRESS = 'http://injected'

/** Makes a request on an application that listens nowhere. */
async function injected({ app }: TestService, url: string, request: RequestInit): Promise<Response> {
  const answer = await app.inject({
    method: request.method as 'GET',
    url,
    headers: request.headers as Record<string, string>,
    payload: request.body as string | undefined,
  })
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return new Response(new Uint8Array(answer.rawPayload), { status: answer.statusCode, headers })
}

/** The client of an application that listens nowhere. @param asked gets the path and query of each request */
export function injectedClient(service: TestService, asked: string[] = []): Inlet {
  const fetched = (address: unknown, request: RequestInit = {}) => {
    const target = String(address).slice(ADDRESS.length)
    asked.push(target)
    return injected(service, target, request)
  }
  return new Inlet(ADDRESS, { fetch: fetched as typeof fetch, retries: 0 })
}
