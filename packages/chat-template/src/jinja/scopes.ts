/**
 * A scope of a template, as it is read from its first tag to its last. `late` gets the names whose value in Jinja2 depends
 * on how it compiles the template, where a variable of that name is given: read in an inner scope before the outer scope
 * assigns to them, or read in one branch of an `if` and assigned in another.
 */
export class Scope {
  /** Names that the scope itself has read or assigned so far. */
  protected readonly known = new Set<string>()

  /** @param readWithin names that scopes within it have read */
  constructor(
    readonly late: Set<string>,
    protected readonly parent?: Scope,
    protected readonly readWithin = new Set<string>(),
  ) {}

  inner(): Scope {
    return new Scope(this.late, this)
  }

  branch(): Branch {
    return new Branch(this, this.late, this.parent, this.readWithin)
  }

  /** Whether a name has been read or assigned here before. */
  knows(name: string): boolean {
    return this.known.has(name)
  }

  /** A name that is the scope's own from the beginning. */
  declare(name: string): void {
    this.known.add(name)
  }

  read(name: string): void {
    this.known.add(name)
    for (let outer = this.parent; outer !== undefined; outer = outer.parent)
      if (!outer.knows(name)) outer.readWithin.add(name)
  }

  assign(name: string): void {
    if (this.readWithin.has(name) && !this.knows(name)) this.late.add(name)
    this.known.add(name)
  }

  /** The names of all branches of an `if`, behind the last of them. */
  join(branches: readonly Branch[]): void {
    const readers = new Map<string, number>()
    for (const { uses } of branches) for (const name of uses) readers.set(name, (readers.get(name) ?? 0) + 1)
    for (const { uses, assigned } of branches)
      for (const name of assigned)
        if (!this.knows(name) && (readers.get(name) ?? 0) > (uses.has(name) ? 1 : 0)) this.late.add(name)
    for (const { uses, assigned } of branches) for (const name of [...uses, ...assigned]) this.known.add(name)
  }
}

/** A branch of an `if`, which is no scope: its names are those of the scope around it. */
export class Branch extends Scope {
  /** Names that the branch reads before it assigns to them. */
  readonly uses = new Set<string>()
  readonly assigned = new Set<string>()

  constructor(
    private readonly around: Scope,
    ...scope: ConstructorParameters<typeof Scope>
  ) {
    super(...scope)
  }

  override knows(name: string): boolean {
    return this.known.has(name) || this.around.knows(name)
  }

  override read(name: string): void {
    if (!this.knows(name)) this.uses.add(name)
    super.read(name)
  }

  override assign(name: string): void {
    super.assign(name)
    this.assigned.add(name)
  }
}
