/** Leaves the answers where a test finds them. */
export function show(answers) {
  const leave = (value) => {
    document.documentElement.dataset.answers = JSON.stringify(value);
  };
  answers.then(leave, (error) => leave({ error: String(error) }));
}
