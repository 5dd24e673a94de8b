/** The chapter list marks where the reader is. */
export function followChapters(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".chapters a")];
  const list = document.querySelector<HTMLElement>(".chapters ol");
  const sections = links.flatMap((link) => document.getElementById(link.hash.slice(1)) ?? []);
  let current: HTMLAnchorElement | undefined;

  const mark = () => {
    // The last chapter whose head has passed the upper third of the window.
    const line = innerHeight / 3;
    const here = sections.filter((section) => section.getBoundingClientRect().top < line).at(-1);
    const link = links.find((each) => each.hash.slice(1) === here?.id);
    if (link === current) return;
    current?.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "location");
    current = link;
    // On narrow screens the list itself scrolls; moving only it leaves the page alone.
    if (link && list) list.scrollLeft = link.offsetLeft - list.clientWidth / 2 + link.clientWidth / 2;
  };
  const sight = new IntersectionObserver(mark, { rootMargin: "-33% 0px -66% 0px" });
  // The observer calls at once, when the page is laid out anyway; asking for positions here would force a layout.
  for (const section of sections) sight.observe(section);
}
