import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { functionsOf, type OpenApi } from './interface.js'
import { pythonOperationsModules, pythonTypesModule } from './python.js'
import { typescriptOperationsModule, typescriptTypesModule } from './typescript.js'

/** The modules of both packages that are made from openapi.yaml: their paths in the repository, their text. */
export async function clientModules(): Promise<ReadonlyMap<string, string>> {
  const document: OpenApi = parse(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'))
  const functions = functionsOf(document)
  const [waiting, awaited] = pythonOperationsModules(functions)
  return new Map([
    ['clients/python/src/inlet_client/types.py', pythonTypesModule(document, functions)],
    ['clients/python/src/inlet_client/operations.py', waiting],
    ['clients/python/src/inlet_client/async_operations.py', awaited],
    ['clients/typescript/src/types.ts', await typescriptTypesModule(document, functions)],
    ['clients/typescript/src/operations.ts', typescriptOperationsModule(functions)],
  ])
}
