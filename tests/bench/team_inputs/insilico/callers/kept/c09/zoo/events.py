def on_tick(listener) -> None:
    listener.speak()


class Speaker:
    volume = 3

    def speak(self, text: str) -> None:
        print(text * self.volume)


def announce(speaker: Speaker) -> None:
    speaker.speak("hello")


handlers = [Speaker().speak]
