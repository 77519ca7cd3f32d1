import { join } from 'node:path'
import { Aside, type AsideFile } from '../aside.js'
import { IdFile } from './id-file.js'
import type { EndedShard, OutputFacts, ShardOutput } from './output.js'

const PART = 'ids.bin'

/** All ids one after the other, without a header: nanoGPT's `train.bin`. */
export class BinOutput implements ShardOutput {
  #documents = 0

  private constructor(
    private readonly out: string,
    private readonly aside: Aside,
    private readonly file: AsideFile,
    private readonly ids: IdFile,
  ) {}

  static async begin(out: string, dtype: 'uint16' | 'uint32'): Promise<BinOutput> {
    const aside = new Aside(out)
    const file = await aside.open(PART)
    return new BinOutput(out, aside, file, new IdFile(file, dtype))
  }

  async write(ids: Int32Array, ends: Int32Array): Promise<void> {
    this.#documents += ends.length
    await this.ids.write(ids)
  }

  async commit({ name }: EndedShard): Promise<OutputFacts> {
    const sha256 = await this.ids.close()
    const output = `${name}.bin`
    await this.aside.move(PART, join(this.out, output))
    return {
      ...{ output, sha256, output_bytes: this.file.bytes },
      ...{ documents: this.#documents, tokens: this.ids.numTokens },
    }
  }

  async abandon(): Promise<void> {
    await this.file.abandon()
    await this.aside.remove()
  }
}
