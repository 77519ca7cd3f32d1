import { ModelsFolder } from '../../checkpoints/folders.js'
import { tokenizerFile } from '../../first-layer/tokens/byte-pair/files.js'
import { listen, type TestService, testService } from '../../helper.js'
import { tableFile } from '../models/table-files.js'
import { StandIn } from './stand-in.js'

const VOCAB = 1300
const DIM = 4

export const ROWS = Float32Array.from({ length: VOCAB * DIM }, (_, i) => Math.fround(Math.sin(i)))

/** The files of a LLaMA of four elements a row, with RoBERTa's kind of tokenizer (`<s>` … `</s>`). */
export const LLAMA = {
  'config.json': {
    ...{ model_type: 'llama', vocab_size: VOCAB, hidden_size: DIM, num_attention_heads: 1 },
    ...{ max_position_embeddings: 2 ** 20, dtype: 'float32' },
  },
  'model.safetensors': tableFile({
    'model.embed_tokens.weight': { shape: [VOCAB, DIM], numbers: [...ROWS] },
  }),
  'tokenizer.json': tokenizerFile('roberta'),
}

/** A service before a stand-in, with {@link LLAMA}. */
export class Proxied {
  private constructor(
    readonly service: TestService,
    readonly upstream: StandIn,
    readonly url: string,
    private readonly folder: ModelsFolder,
  ) {}

  /** @param config what the model's config.json has besides */
  static async start(env: Readonly<Record<string, string>> = {}, config: object = {}): Promise<Proxied> {
    const upstream = await StandIn.start()
    const folder = await ModelsFolder.make()
    await folder.write('llama', { ...LLAMA, 'config.json': { ...LLAMA['config.json'], ...config } })
    const folders = await folder.entries()
    const service = await testService({ UPSTREAM_URL: upstream.url, ...env }, { folders })
    const port = await listen(service)
    return new Proxied(service, upstream, `http://127.0.0.1:${port}`, folder)
  }

  /** Sends a body as it stands. */
  post(path: string, body: string | object, init: RequestInit = {}): Promise<Response> {
    return fetch(this.url + path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
      headers: { 'content-type': 'application/json', ...init.headers },
    })
  }

  /** The ids of a text by the model's tokenizer. */
  async ids(text: string, add_special_tokens: boolean): Promise<number[]> {
    const answer = await this.post('/v1/tokenize', { model: 'llama', text, add_special_tokens })
    return ((await answer.json()) as { tokens: { id: number }[] }).tokens.map(({ id }) => id)
  }

  async close(): Promise<void> {
    await this.upstream.close()
    await this.service.close()
    await this.folder.remove()
  }
}
