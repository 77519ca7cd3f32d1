import { type Claim, ClientGone } from '../src/service/process/turn.js'

/** A claim that counts: what is reserved, and how often its caller was asked after. */
export class CountingClaim implements Claim {
  /** Bytes taken and not given back. */
  taken = 0
  asked = 0
  #isGone = false

  /** @param free whether there is room at once */
  constructor(private readonly free: Promise<void> | undefined = undefined) {}

  /** The caller goes away. */
  leave(): void {
    this.#isGone = true
  }

  throwIfAborted(): void {
    this.asked++
    if (this.#isGone) throw new ClientGone()
  }

  take(bytes: number): Promise<void> | undefined {
    this.taken += bytes
    return this.free
  }

  give(bytes: number): void {
    this.taken -= bytes
  }

  onAbort(): () => void {
    return () => {}
  }

  outlast(): void {}
}

/** A claim without a bound: it shares the process with no caller. */
export const UNBOUNDED: Claim = {
  throwIfAborted() {},
  take: () => undefined,
  give() {},
  onAbort: () => () => {},
  outlast() {},
}
