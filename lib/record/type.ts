/** Names of the value types of the language and of schema columns (spec/1, value types). */
export type TypeName =
  | 'null'
  | 'bool'
  | 'int'
  | 'float'
  | 'decimal'
  | 'string'
  | 'date'
  | 'date_time'
  | 'array'
  | 'map'
  /** Int or float, not known which: exists only inside type inference. */
  | 'numeric'
  | 'any'

/** A static type: a name and whether null is among its values. Instances are interned, so `===` compares. */
export class Type {
  readonly name: TypeName
  readonly nullable: boolean

  private constructor(name: TypeName, nullable: boolean) {
    this.name = name
    this.nullable = nullable
  }

  /** The one instance of this type. `any` and `null` are always nullable. */
  static of(name: TypeName, nullable = false): Type {
    const both = name === 'any' || name === 'null' || nullable
    const key = both ? `${name}?` : name
    let type = Type.#interned.get(key)
    if (!type) Type.#interned.set(key, (type = new Type(name, both)))
    return type
  }

  static readonly #interned = new Map<string, Type>()

  /** This type with null among its values. */
  get orNull(): Type {
    return Type.of(this.name, true)
  }

  /** This type without null (`any` and `null` stay what they are). */
  get notNull(): Type {
    return Type.of(this.name, false)
  }

  /** As schemas write it: `int`, `nullable(int)`, `any`. */
  toString(): string {
    return this.nullable && this.name !== 'any' && this.name !== 'null' ? `nullable(${this.name})` : this.name
  }
}
