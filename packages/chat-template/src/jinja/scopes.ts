/**
 * A scope of a template, as it is read from its first tag to its last; or a branch of an `if`, which is no scope: its
 * names are those of the scope around it. `late` gets the names whose value in Jinja2 depends on how it compiles the
 * template, where a variable of that name is given: read in an inner scope before the outer scope assigns to them, or
 * read in one branch of an `if` and assigned in another.
 */
export class Scope {
  /** Names that the scope, or the branch, itself has read or assigned so far. */
  readonly #known = new Set<string>()
  /** Names that scopes within it have read. */
  readonly #readWithin: Set<string>
  /** Names that it reads before it assigns to them. */
  readonly #uses = new Set<string>()
  readonly #assigned = new Set<string>()

  /** @param around of a branch */
  constructor(
    readonly late: Set<string>,
    private readonly parent?: Scope,
    private readonly around?: Scope,
  ) {
    this.#readWithin = around === undefined ? new Set() : around.#readWithin
  }

  inner(): Scope {
    return new Scope(this.late, this)
  }

  branch(): Scope {
    return new Scope(this.late, this.parent, this)
  }

  /** Whether a name has been read or assigned here before. */
  private knows(name: string): boolean {
    return this.#known.has(name) || (this.around?.knows(name) ?? false)
  }

  /** A name that is the scope's own from the beginning. */
  declare(name: string): void {
    this.#known.add(name)
  }

  read(name: string): void {
    if (!this.knows(name)) this.#uses.add(name)
    this.#known.add(name)
    for (let outer = this.parent; outer !== undefined; outer = outer.parent)
      if (!outer.knows(name)) outer.#readWithin.add(name)
  }

  assign(name: string): void {
    if (this.#readWithin.has(name) && !this.knows(name)) this.late.add(name)
    this.#known.add(name)
    this.#assigned.add(name)
  }

  /** The names of all branches of an `if`, behind the last of them. */
  join(branches: readonly Scope[]): void {
    const readers = new Map<string, number>()
    for (const branch of branches)
      for (const name of branch.#uses) readers.set(name, (readers.get(name) ?? 0) + 1)
    for (const branch of branches)
      for (const name of branch.#assigned)
        if (!this.knows(name) && (readers.get(name) ?? 0) > (branch.#uses.has(name) ? 1 : 0))
          this.late.add(name)
    for (const branch of branches)
      for (const name of [...branch.#uses, ...branch.#assigned]) this.#known.add(name)
  }
}
