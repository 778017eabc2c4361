"""The parts that pages are made of: tables, charts, trees and texts."""
