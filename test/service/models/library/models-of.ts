import type { Model } from '../../../../src/first-layer/embeddings/model.js'
import type { ModelAdmin } from '../../../../src/service/models/keeper/keeper.js'
import { Models, type ModelsOptions } from '../../../../src/service/models/library/models.js'

export type Named = { readonly name: string; dispose(): void }

/** The models of a thread, whose bound form is what `bind` gives. The default one is `a`. */
export function modelsOf(
  bind: (...given: Parameters<ModelsOptions['bind']>) => Promise<Named>,
  more: Partial<Omit<ModelsOptions, 'admin'>> & { readonly admin?: Partial<ModelAdmin> } = {},
): Models {
  return new Models({
    ...{ defaultModel: 'a', backend: () => undefined, isStarting: () => false },
    tokenizerOf: () => Promise.reject(new Error('nobody asks')),
    bind: async (...given) => (await bind(...given)) as unknown as Model,
    ...more,
    admin: { async noteUse() {}, ...more.admin } as ModelAdmin,
  })
}
