// Checks of an open page by browser_test.py: each returns what is wrong.

const figures = () => [...document.querySelectorAll('figure svg')];

async function brokenImages() {
    for (const part of document.querySelectorAll('details')) part.open = true;
    const images = [...document.images];
    for (const image of images) image.loading = 'eager';
    await Promise.all(images.map(image => image.decode().catch(() => {})));
    return images.filter(image => image.naturalWidth === 0).map(image => image.getAttribute('src'));
}

function lettersBelow11() {
    return figures().flatMap(svg => [...svg.querySelectorAll('text')]).map(text => {
        const scale = Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b);
        return [parseFloat(getComputedStyle(text).fontSize) * scale, text.textContent];
    }).filter(([size]) => size < 11);
}

function wordsCutOff() {
    return figures().flatMap(svg => {
        const whole = svg.getBoundingClientRect();
        return [...svg.querySelectorAll('text')].filter(text => {
            const box = text.getBoundingClientRect();
            return box.left < whole.left - 1 || box.right > whole.right + 1 || box.top < whole.top - 1 || box.bottom > whole.bottom + 1;
        }).map(text => text.textContent);
    });
}

function wordsOverEachOther() {
    return figures().flatMap(svg => {
        const boxes = [...svg.querySelectorAll('text')].filter(text => !/rotate/.test(text.getAttribute('transform') || ''))
            .map(text => [text.getBoundingClientRect(), text.textContent]);
        return boxes.flatMap(([a, one], place) => boxes.slice(place + 1).filter(([b]) =>
            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5)
            .map(([, other]) => one + ' / ' + other));
    });
}
