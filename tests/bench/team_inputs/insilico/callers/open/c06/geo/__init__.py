from .shapes import Circle, Point
