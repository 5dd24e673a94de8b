/** The methods of iterators that jax-js uses and Node 20 does not have yet. Nothing happens where they exist. */
const IteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));

const helpers = {
  *map(callback) {
    let index = 0;
    for (const value of this) yield callback(value, index++);
  },
  *filter(callback) {
    let index = 0;
    for (const value of this) if (callback(value, index++)) yield value;
  },
  *flatMap(callback) {
    let index = 0;
    for (const value of this) yield* callback(value, index++);
  },
  forEach(callback) {
    let index = 0;
    for (const value of this) callback(value, index++);
  },
  some(callback) {
    return [...this].some((value, index) => callback(value, index));
  },
  every(callback) {
    return [...this].every((value, index) => callback(value, index));
  },
  find(callback) {
    return [...this].find((value, index) => callback(value, index));
  },
  reduce(...parameters) {
    return [...this].reduce(...parameters);
  },
  toArray() {
    return [...this];
  },
};

for (const [name, value] of Object.entries(helpers))
  if (!IteratorPrototype[name])
    Object.defineProperty(IteratorPrototype, name, { value, configurable: true, writable: true });
